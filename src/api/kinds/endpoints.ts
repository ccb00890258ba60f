// Rules of Endpoints that other parts need: how pairs of addresses are printed.

export { endpointTexts, hasPairs } from "./endpoints/table.ts";
