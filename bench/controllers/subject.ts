// The endpoints controllers in a process of their own, which tells what they have cost when asked.

import { connectByKubeconfig } from "../../examples/connect.ts";
import { endpointsControllers } from "../../src/control/controllers/endpoints/controllers.ts";
import { runControllers } from "../../src/control/controllers/run.ts";

export interface Costs {
  readonly writes: number;
  /** In milliseconds. */
  readonly cpu: number;
  readonly rss: number;
}

if (import.meta.main) {
  const [, , kubeconfig] = process.argv;
  const surroundings = await connectByKubeconfig("bench-controllers", kubeconfig);
  const { transport } = surroundings.client;
  let writes = 0;
  const send = transport.send.bind(transport);
  transport.send = (request) => {
    if (request.method !== "GET") writes += 1;
    return send(request);
  };
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    const { rss } = process.memoryUsage();
    process.send?.({ writes, cpu: (user + system) / 1000, rss } satisfies Costs);
  });
  const stop = new AbortController();
  process.once("disconnect", () => stop.abort());
  await runControllers(endpointsControllers, surroundings, stop.signal);
  transport.close();
}
