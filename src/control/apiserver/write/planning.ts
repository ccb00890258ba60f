// The interface of planners.
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import type { Plan } from "./mutate.ts";

/** Plans a write; called again whenever the state has changed meanwhile. */
export type Planner = (old: Item | undefined) => Plan | Promise<Plan>;

/** The parts of the core that planning needs: what is served, and access control. */
export type PlanningCore = Pick<Core, "access" | "catalogue" | "settings">;
