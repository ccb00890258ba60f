// What planning a write is given, and what it makes.
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import type { Plan } from "./mutate.ts";

/** Called again whenever the state has changed meanwhile. */
export type Planner = (old: Item | undefined) => Plan | Promise<Plan>;

/** Of the parts of the core, planning uses those that say what is served and who may what. */
export type PlanningCore = Pick<Core, "access" | "catalogue" | "settings">;
