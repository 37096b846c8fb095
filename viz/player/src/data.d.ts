// Made of viz/player/data.py by tests/player_types.py: write there.

/** An array: all cells of a small one, statistics and a thumbnail of a large one. */
export interface Array {
  dtype: string;
  shape: number[];
  text: string;
  cells?: string[];
  low?: string;
  high?: string;
  mean?: string;
  thumb?: (number | string)[];
}

/** A formula as text, and as checked MathML. */
export interface Formula {
  text: string;
  mathml?: string;
}

/** A node; numbers are positions in `arrays` and `formulas`. */
export interface Node {
  called: string;
  inputs?: number[];
  dtype: string;
  shape: number[];
  op?: string;
  label?: string;
  value?: number;
  formula?: number;
  numbers?: string;
  kept?: number;
  keeps?: string;
  line?: [number, number];
  attributes?: Record<string, any>;
  tiles?: "image" | "kernel";
  axes?: string[];
  pictured?: number;
  chapter?: string;
}

/** What a page has to know of an op.

`sign` stands between its arguments, `way` says how elements of g come back; it `pools` windows,
`mixes` elements, `meets` rows with columns, its terms `adds` up; `gate` is why g stops at it. */
export interface About {
  sign?: string;
  way?: "entropy" | "sharing" | "winner" | "picked" | "reduced" | "moved";
  pools?: number;
  mixes?: number;
  meets?: number;
  adds?: number;
  gate?: string;
}

/** A piece of an equation. */
export interface Term {
  text?: string;
  transposed?: boolean;
  array?: number;
  operand?: number;
}

/** The entries of a rule's own matrix that are not zero. */
export interface Slopes {
  rows: number[];
  columns: number[];
  values: string[];
}

/** What the hall shows: `said` is how much of the sentence, `look` are trees of `hall.py`.

`more` is for a page and not for the hall, as `paths` are, by source; `words` says what those of
the page mean. */
export interface Scene {
  said?: number;
  ask?: string;
  look?: any[];
  more?: any[];
  words?: Record<string, string>;
  paths?: Record<string, any>;
}

/** A step; numbers are positions in `nodes`, `arrays` and `formulas`. */
export interface Step {
  kind: string;
  node: number;
  to?: number;
  position?: number;
  formula?: number;
  numbers?: string;
  sentence?: string;
  held?: number;
  line?: [number, number];
  cotangent?: number;
  contribution?: number;
  total?: number;
  old?: number;
  local?: number;
  operands?: ([string, number | null, number | null, string])[];
  equation?: Term[];
  slopes?: Slopes;
  pending?: Record<string, number>;
  queue?: number[];
  scene?: Scene;
}

/** How much arrives at each chapter: what the heights mean, and chapter, node, size, height. */
export interface Arrivals {
  said: string;
  bars: [string, number, string, number][];
}

/** What stands before and behind the steps, and curves that the hall's steps share. */
export interface Hall {
  first: Scene;
  last: Scene;
  curves: any[];
}

/** A place where nothing passes, and why. */
export interface Finding {
  mark: number;
  node: number;
  kind: string;
  cause: string;
  correction?: string;
  line?: number;
  panes?: any[];
}

/** An order in which ops may be taken. */
export interface Order {
  name: string;
  nodes: number[];
}

/** The paths from a source to the target; a way is its nodes and the product along it. */
export interface Paths {
  source: number;
  target: number;
  count: string;
  ways?: ([number[], number | null])[];
  rest?: number;
}

/** What a fused op is opened into; `at`: the first step forward, back, and how many back. */
export interface Inside {
  node: number;
  op: string;
  at: number[];
  nodes: Node[];
  last: Node;
  forward: Step[];
  backward: Step[];
  difference: string;
  svg: string;
  members: number[][] | number[] | Record<string, number>;
}

/** The tape in full precision, for the evaluator; or why no number of it can be touched.

`numbers` holds all of them in base64: see touch.py. `held` are constants that an op made;
`assigned` has the first node of a variable for each of its later values. */
export interface Touch {
  off?: string;
  numbers?: string;
  gradients?: number[];
  none?: number[];
  seeds?: number[];
  missing?: number[];
  outputs?: Record<string, number>;
  held?: [number, string][];
  assigned?: Record<string, number>;
}

/** Lines of a source file. */
export interface Block {
  file: string;
  first: number;
  lines: string[];
}

/** The data of one player.

`folds` has the picture of each step, beside an overview, which is the first picture. */
export interface Data {
  title: string;
  at?: number;
  kind?: "graph";
  carries?: "tangents";
  sign?: string;
  targets?: number[];
  persistent: boolean;
  notes: string[];
  nodes: Node[];
  ops?: Record<string, About>;
  steps: Step[];
  gradients: Record<string, number>;
  sources: number[];
  phases?: Record<string, string>;
  findings?: Finding[];
  arrivals?: Arrivals;
  orders?: Order[];
  paths?: Paths[];
  insides?: Inside[];
  hall?: Hall;
  source: Block[];
  arrays: Array[];
  formulas: Formula[];
  views?: Record<string, any>[];
  folds?: number[];
  svg?: string;
  touch?: Touch;
}
