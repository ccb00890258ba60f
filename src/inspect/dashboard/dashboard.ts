// The dashboard: a web page that shows a cluster with both families side by side, and its map as a picture.

export { graphOf } from "./model/graph.ts";
export { dotOf, svgOf } from "./model/text-pictures.ts";
export { readCluster } from "./server/read-cluster.ts";
export { openDashboard } from "./server/serve.ts";
