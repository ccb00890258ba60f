import type { Expr } from "../syntax/ast.ts";
import type { Type } from "../types.ts";

/** A checked expression: the tree, and what each node stands for. */
export interface Checked {
  readonly source: string;
  readonly root: Expr;
  readonly type: Type;
  readonly types: ReadonlyMap<number, Type>;
  /** The ids of the overloads that a call may have, by the id of the node. */
  readonly overloads: ReadonlyMap<number, readonly string[]>;
  /** The full name of an identifier, by the id of a node that is one: a variable or a type. */
  readonly names: ReadonlyMap<number, string>;
  /** The full name of a called function, by the id of the call; it then has no receiver. */
  readonly functions: ReadonlyMap<number, string>;
}
