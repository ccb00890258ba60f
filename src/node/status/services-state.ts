// What the service proxy of a node says of itself, as conditions of the node.

import { servicesCondition } from "../../api/kinds/node-conditions.ts";
import { sameJson } from "../../base/json/value.ts";
import type { Family } from "../../base/net/family.ts";
import { messageOf } from "../../base/program/errors.ts";
import type { Finding } from "./conditions.ts";

export interface FamilyState {
  readonly family: Family;
  /** What is in the kernel; undefined before the first rules are. */
  readonly synced: unknown;
  /** The error because of which the kernel is not up to date. */
  readonly error?: unknown;
}

export class ServicesState {
  readonly #onChange: () => void;
  #findings: readonly Finding[] | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The conditions; undefined while it is too early to tell, so that earlier ones stay. */
  get findings(): readonly Finding[] | undefined {
    return this.#findings;
  }

  tell(families: readonly FamilyState[]): void {
    const isTold = ({ synced, error }: FamilyState): boolean =>
      synced !== undefined || error !== undefined;
    if (!families.every(isTold)) return;
    const findings = families.map(findingOf);
    if (sameJson(findings, this.#findings)) return;
    this.#findings = findings;
    this.#onChange();
  }
}

function findingOf({ family, error }: FamilyState): Finding {
  const type = servicesCondition(family);
  if (error === undefined) {
    const message = `the rules of ${family} services are in the kernel`;
    return { type, status: "True", reason: "RulesCurrent", message };
  }
  // Programs print the rule that was refused below what is wrong with it.
  const [message = ""] = messageOf(error).split("\n");
  return { type, status: "False", reason: "RulesNotWritten", message };
}
