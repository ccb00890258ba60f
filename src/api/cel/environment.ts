// The environment of an expression: its variables, functions and types.
import type { FunctionDeclaration } from "./library/library.ts";
import type { ObjectType, Type } from "./types.ts";

export interface Environment {
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  /** Returns the type of objects that expressions can make by its name. */
  findType(name: string): ObjectType | undefined;
}

/** Returns the environment with further variables. */
export function extend(
  environment: Environment,
  variables: Readonly<Record<string, Type>>,
): Environment {
  return {
    ...environment,
    variables: new Map([...environment.variables, ...Object.entries(variables)]),
  };
}
