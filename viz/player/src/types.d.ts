// What the scripts know of each other beside what they declare: fields that `Object.assign` writes, and
// what the parts of one player (each a class above the other) take from the whole.

import type { Data, Inside, Node, Step } from "./data.d.ts";

/** A picture of the tape, with groups of it closed; the first is on the page already. */
export interface View {
  name?: string;
  svg?: string | Element;
  like?: number;
  members?: Record<string, number[]>;
  opens?: Record<string, number>;
  depth?: number;
  deeper?: number;
  slots?: number[];
  slot?: number;
  start?: number;
  weights?: any;
  titles?: any;
  graph?: any;
}

/** The whole player, as its controls and its room see it. */
export interface Whole {
  root: ShadowRoot;
  data: Data & Record<string, any>;
  main: HTMLElement & { dataset: Record<string, string> };
  slider: HTMLInputElement;
  at: number;
  depth: number;
  timer: number;
  walk: number[];
  view: View;
  views: View[];
  graph: any;
  opening: any;
  touch?: any; // where a number can be touched: see touch.js
  timeline: any;
  proof: any;
  paths: any;
  hall: any;
  finder: any;
  isOpened: boolean;
  addressed: boolean;
  keys: Record<string, () => void>;
  onstep(step: number): void;
  onfail(error: Error): void;
  onsave?(seen: { step: number; at: number[] }): void; // where Python is behind the page
}

/** What the controls ask of the player below them. */
interface Stepping {
  part(name: string): any;
  go(at: number): void;
  move(by: number): void;
  look(depth: number): void;
  pick(id: number, forward: boolean): void;
  show(): void;
  define(word: HTMLElement): void;
  guard(act: () => void): void;
  showMemory(): void;
}

declare module "./room.js" {
  interface Room extends Whole, Stepping {}
}

declare module "./camera.js" {
  interface Camera {
    svg: SVGSVGElement & { dataset: any };
    data: Whole["data"];
    view: View;
    nodes: Map<number, any>;
    full: number[];
    onframe?(): void;
    onOpen(id: number): void;
    onPick(box: number, forward: boolean): void;
    onGo?(step: number): void;
  }
}

declare module "./graph.js" {
  interface Graph {
    at: number;
    edges: Map<string, any>;
    leaving: Map<number, string[]>;
  }
}

declare module "./touch.js" {
  interface Touch {
    player: any;
    root: ShadowRoot;
    data: Data;
    box?: HTMLElement;
    button: HTMLButtonElement;
    tape: any;
    recorded: Float64Array[];
    leaves: number[];
    cells: Map<number, any[]>;
    changes: HTMLElement;
    curve: HTMLElement;
    start: { values: Float64Array[]; gradients: Float64Array[]; result: number };
    picked: [number, number];
    range: { from: number; reach: number; points: number[][]; flips: number[][] };
    promised: number;
    shown: any;
  }
}

declare module "./fit.js" {
  interface Fit {
    player: Whole & Stepping;
    row: HTMLElement;
    pane: HTMLElement;
    side: HTMLElement;
    taken: Record<string, [number, string]>;
    place: string;
    level: number;
    lowered: number;
  }
}

declare module "./opening.js" {
  interface Opening {
    player: any;
    nodes: Node[];
    steps: Step[];
    inside: Inside | null;
    insides: Map<number, Inside>;
  }
}

declare module "./hall.js" {
  interface Hall {
    player: Whole & Stepping;
    asks: boolean;
    asked: boolean;
    isFirst: boolean;
    isFull: boolean;
    digits: string;
  }
}

declare module "./find.js" {
  interface Finder {
    player: Whole & Stepping;
    found: number[];
    chosen: number;
  }
}

/** A matrix of the row: an array, and how it is to be shown. */
declare module "./matrix.js" {
  interface Matrix {
    array: any;
    caption: string;
    kind?: string;
    look?: string;
    form?: string;
    note?: string;
    small?: string;
    axes?: string[];
    rows?: any;
    share?: number;
    transposed?: boolean;
    compact?: boolean;
    active?: boolean;
    tiny?: boolean;
    scale?: number;
    svg: SVGSVGElement;
    step: number;
  }
}

declare global {
  // Which element a selector finds is not written down.
  interface ParentNode {
    querySelector(selectors: string): any;
    querySelectorAll(selectors: string): NodeListOf<any>;
  }

  interface Navigator {
    deviceMemory?: number;
  }
}
