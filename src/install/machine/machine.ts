// The services of a machine, and their units.

export { type Service, services, unitName } from "./services.ts";
export { formatUnit } from "./unit.ts";
