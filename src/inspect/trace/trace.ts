// The packet trace: its parties, the places where packets are watched, and the report.

export { type PartyName, parseParty, parseTarget } from "./party.ts";
export { givenNamespace, type NamedNamespace, systemPlaces } from "./places.system.ts";
export type { Place } from "./places.ts";
export type { TraceReport } from "./report.ts";
export { portOf, type Resolved, type Resolver, resolveObject } from "./resolve.ts";
export { hopLines, reportText } from "./text.ts";
export { tracePath } from "./trace-path.ts";
