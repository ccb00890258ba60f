// Rules of Endpoints that other parts need: how pairs of addresses are printed.

export { endpointLines } from "./endpoints/table.ts";
