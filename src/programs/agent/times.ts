// Measures how long the steps of a pod's start take.

import type { Clock } from "../../base/host/clock.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { PodNetwork } from "../../node/pods/pods.ts";
import type { Containers } from "../../node/runtime/runtime.ts";

export interface TimedSteps {
  network(network: PodNetwork): PodNetwork;
  containers(containers: Containers): Containers;
}

export function timedSteps(metrics: Registry, clock: Clock): TimedSteps {
  const seconds = metrics.histogram("tandem_agent_step_seconds", {
    help: "How long a step of a pod's start took: its network, a container.",
    labels: ["step"],
  });
  const timed =
    <A extends readonly unknown[], T>(step: string, call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const started = clock.monotonic();
      const result = await call(...args);
      seconds.with(step).observe((clock.monotonic() - started) / 1000);
      return result;
    };
  return {
    network: (network) => ({
      attach: timed("network", (request) => network.attach(request)),
      detach: (sandbox, options) => network.detach(sandbox, options),
      collect: (listSandboxes, options) => network.collect(listSandboxes, options),
    }),
    containers: (containers) => ({
      start: timed("container", (spec, options) => containers.start(spec, options)),
      list: () => containers.list(),
      get: (id) => containers.get(id),
      exited: (id, options) => containers.exited(id, options),
      resize: (id, resources) => containers.resize(id, resources),
      kill: (id, signal) => containers.kill(id, signal),
      remove: (id) => containers.remove(id),
      exec: (id, request) => containers.exec(id, request),
      attach: (id, request) => containers.attach(id, request),
    }),
  };
}
