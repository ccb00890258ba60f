// The services of a machine, and their units.

export { services, unitName } from "./services.ts";
export { formatUnit } from "./unit.ts";
