// Genuine kubectl on a server with all its controllers, and nodes on paper whose pods do what their
// images say.

import { after, before } from "node:test";
import type { Pod } from "../../src/api/types/core.ts";
import { FakeNodes, type Fate } from "../fixtures/fake-nodes.ts";
import { forEveryKubectl, type Given } from "../fixtures/kubectl.ts";
import { clientOf } from "./client.fixture.ts";

export const images = {
  good: "good:1",
  better: "good:2",
  neverReady: "never-ready",
  ends: "ends",
  fails: "fails",
} as const;

/** Controllers do not care where objects are stored, so one store is enough. */
export function forEveryKubectlWithNodes(name: string, define: (given: Given) => void): void {
  forEveryKubectl(
    name,
    (given) => {
      const scope = new AsyncDisposableStack();
      before(async () => {
        const client = scope.use(await clientOf(given.server.kubeconfig));
        scope.use(await FakeNodes.start(client, { count: 2, fate }));
      });
      after(() => scope.disposeAsync());
      define(given);
    },
    { controllers: "*", stores: ["embedded"] },
  );
}

function fate({ spec }: Pod): Fate {
  switch (spec.containers[0]?.image) {
    case images.neverReady:
      return "unready";
    case images.ends:
      return "succeed";
    case images.fails:
      return "fail";
    default:
      return "ready";
  }
}
