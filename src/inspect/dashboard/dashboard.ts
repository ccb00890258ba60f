// The dashboard: a web page that shows a cluster with both families side by side, and its map as a picture.

export { type RangeUse, rangesOf, sizeText } from "./model/addresses.ts";
export type { Placement } from "./model/announcements.ts";
export { graphOf } from "./model/graph.ts";
export { dotOf, svgOf } from "./model/text-pictures.ts";
export type { TraceRequest } from "./model/trace-request.ts";
export { type Flow, readFlows, type ServiceTraffic, trafficOf } from "./model/traffic.ts";
export { announcerSelection } from "./server/announcements.ts";
export type { Actions, Placing, User } from "./server/ports.ts";
export { readCluster } from "./server/read-cluster.ts";
export { openDashboard } from "./server/serve.ts";
