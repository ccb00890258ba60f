// The stock JavaScript client's informers run through kills of the server and miss nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";
import {
  isAlreadyExists,
  isNotFound,
  isTimeout,
  isUnavailable,
} from "../../src/api/client/errors.ts";
import { describeError } from "../../src/base/program/errors.ts";
import { TestServer } from "../fixtures/server.ts";
import { clientOf, clock, eventually } from "./client.fixture.ts";

const namespace = "default";
const count = 120;
const names = Array.from({ length: count }, (_, number) => `stock-${number}`);

test("[API-1] stock informers see every create, update and delete through kills of the server", {
  timeout: 240_000,
}, async () => {
  await using server = await TestServer.start();
  using client = await clientOf(server.kubeconfig);
  const maps = client.resource("v1", "ConfigMap");

  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    api.listNamespacedConfigMap({ namespace }),
  );
  const seen = { add: [] as string[], update: [] as string[], delete: [] as string[] };
  for (const verb of ["add", "update", "delete"] as const) {
    informer.on(verb, ({ metadata }: V1ConfigMap) => {
      if (metadata?.name?.startsWith("stock-")) seen[verb].push(metadata.name);
    });
  }
  // An informer of that library stops at an error; whoever uses it starts it again.
  const over = new AbortController();
  const start = async (): Promise<void> => {
    while (!over.signal.aborted) {
      try {
        await informer.start();
        return;
      } catch (error) {
        assert.match(describeError(error), /ECONN|socket|network|fetch failed|aborted|terminated/i);
        await clock.sleep(50);
      }
    }
  };
  let failure: unknown;
  const restart = () =>
    void clock
      .sleep(50)
      .then(start)
      .catch((error: unknown) => (failure = error));
  informer.on("error", restart);
  await start();

  /** Carries each step out until it is acknowledged, while the server is killed in the middle. */
  const throughKill = async (step: (name: string) => Promise<unknown>): Promise<void> => {
    let killing: Promise<void> | undefined;
    for (const [number, name] of names.entries()) {
      if (number === count / 2) killing = server.kill().then(() => server.launch());
      await untilAcknowledged(() => step(name));
    }
    await killing;
  };

  try {
    await throughKill((name) => maps.create({ metadata: { namespace, name } }));
    await eventually("all creates", () => seen.add.length >= count);
    await throughKill((name) => maps.patch({ namespace, name }, { merge: { data: { a: "1" } } }));
    await eventually("all updates", () => seen.update.length >= count);
    await throughKill((name) => maps.delete({ namespace, name }));
    await eventually("all deletes", () => seen.delete.length >= count);
    assert.equal(failure, undefined);
    for (const verb of ["add", "update", "delete"] as const) {
      assert.deepEqual(seen[verb].toSorted(), names.toSorted(), verb);
    }
  } finally {
    over.abort();
    informer.off("error", restart);
    await informer.stop();
  }
});

async function untilAcknowledged(step: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await step();
      return;
    } catch (error) {
      // It had been carried out, but the answer was lost.
      if (isAlreadyExists(error) || isNotFound(error)) return;
      if (!isUnavailable(error) && !isTimeout(error)) throw error;
      await clock.sleep(20);
    }
  }
}
