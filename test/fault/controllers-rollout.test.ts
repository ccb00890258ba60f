// The server is killed in the middle of rollouts, and an observer sees that pods neither lack nor abound.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../src/api/types/core.ts";
import { clientOf } from "../compat/client.fixture.ts";
import { until } from "../fixtures/controllers.ts";
import { FakeNodes } from "../fixtures/fake-nodes.ts";
import { PodObserver } from "../fixtures/pod-observer.ts";
import { TestServer } from "../fixtures/server.ts";

const rounds = process.env["TANDEM_SOAK"] === "1" ? 50 : 10;
const replicas = 10;
const limits = { maxUnavailable: 2, maxSurge: 3 };
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const pods = "/api/v1/namespaces/default/pods";

const isLeaving = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
const imageOf = ({ spec }: Pod) => spec.containers[0]?.image;

test(`[API-5] ${rounds} kills in the middle of a rollout: never too few pods, never too many`, {
  timeout: 1_000_000,
}, async () => {
  await using scope = new AsyncDisposableStack();
  const server = scope.use(await TestServer.start());
  const client = scope.use(await clientOf(server.kubeconfig));
  scope.use(await FakeNodes.start(client, { count: 3 }));
  const call = async (method: string, path: string, body: object) => {
    const type = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json";
    const answer = await server.send(method, path, { type, body: JSON.stringify(body) });
    assert.ok(answer.code < 300, answer.text);
  };
  const template = (image: string) => ({
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "main", image }] },
  });

  let isComplete = false;
  let states = 0;
  const wrong: string[] = [];
  const observer = scope.use(
    new PodObserver(server, pods, (all) => {
      const present = all.filter((pod) => !isLeaving(pod));
      const available = present.filter(isReady).length;
      isComplete ||= available === replicas;
      if (!isComplete) return;
      states += 1;
      const isTooFew = available < replicas - limits.maxUnavailable;
      const isTooMany = present.length > replicas + limits.maxSurge;
      if (isTooFew || isTooMany) wrong.push(`${available} available of ${present.length}`);
    }),
  );
  const count = (image: string) =>
    [...observer.pods.values()].filter((pod) => imageOf(pod) === image).length;
  const isRolledOut = (image: string) => {
    const all = [...observer.pods.values()];
    return all.length === replicas && all.every((pod) => imageOf(pod) === image && isReady(pod));
  };
  const patience = 60_000;
  const rolledOut = (image: string) => until(() => isRolledOut(image), Boolean, patience);

  await call("POST", deployments, {
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      strategy: { type: "RollingUpdate", rollingUpdate: limits },
      template: template("image:0"),
    },
  });
  await rolledOut("image:0");
  for (let round = 1; round <= rounds; round += 1) {
    const image = `image:${round}`;
    await call("PATCH", `${deployments}/web`, { spec: { template: template(image) } });
    const some = 1 + (round % (replicas - 1));
    await until(
      () => count(image),
      (found) => found >= some,
      patience,
    );
    await server.kill();
    await server.launch();
    await rolledOut(image);
  }
  assert.deepEqual(wrong, []);
  assert.ok(states > rounds * replicas, `only ${states} states were seen`);
});
