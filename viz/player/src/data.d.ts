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
}

/** A place where nothing passes, and why. */
export interface Finding {
  mark: number;
  node: number;
  kind: string;
  cause: string;
  correction?: string;
  corrected?: string;
  line?: number;
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

/** Lines of a source file. */
export interface Block {
  file: string;
  first: number;
  lines: string[];
}

/** The data of one player. */
export interface Data {
  title: string;
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
  findings?: Finding[];
  arrivals?: [string, number, string, number][];
  orders?: Order[];
  paths?: Paths[];
  insides?: Inside[];
  source: Block[];
  arrays: Array[];
  formulas: Formula[];
  views?: Record<string, any>[];
  svg?: string;
}
