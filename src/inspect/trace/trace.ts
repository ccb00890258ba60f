// The packet trace: who is meant, where packets are watched, and what was seen.

export { type PartyName, parseParty, parseTarget } from "./party.ts";
export { givenNamespace, type NamedNamespace, systemPlaces } from "./places.system.ts";
export type { Place } from "./places.ts";
export type { TraceReport } from "./report.ts";
export { portOf, type Resolved, type Resolver, resolveObject } from "./resolve.ts";
export { reportText } from "./text.ts";
export { tracePath } from "./trace-path.ts";
