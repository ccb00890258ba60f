// Daemon sets, stateful sets and jobs by genuine kubectl and our controllers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../fixtures/controllers.ts";
import { forEveryKubectlWithNodes, images } from "./rollout.fixture.ts";

forEveryKubectlWithNodes("[API-1] sets and jobs", (given) => {
  const run = (...words: string[]) => given.kubectl.run(...words);
  const read = (what: string, path: string) =>
    run("get", ...what.split(" "), "-o", `jsonpath=${path}`);
  const settled = (what: string) => run("rollout", "status", what, "--timeout=60s");
  const create = (kind: string, name: string, spec: object) => {
    const metadata = { labels: { app: name } };
    const template = { metadata, spec: { containers: [{ name: "main", image: images.good }] } };
    const selector = { matchLabels: { app: name } };
    return given.kubectl.pipe(
      { apiVersion: "apps/v1", kind, metadata: { name }, spec: { selector, template, ...spec } },
      "create",
      "-f",
      "-",
    );
  };

  test("daemon sets: status, history, undo and restart", async () => {
    await create("DaemonSet", "everywhere", {});
    assert.match(await settled("ds/everywhere"), /daemon set "everywhere" successfully rolled out/);
    const nodes = await read("pods -l app=everywhere", "{.items[*].spec.nodeName}");
    assert.deepEqual(new Set(nodes.split(" ")), new Set(["node-0", "node-1"]));
    await run("set", "image", "ds/everywhere", `main=${images.better}`);
    await settled("ds/everywhere");
    assert.match(await run("rollout", "history", "ds/everywhere"), /\n1 +<none>\n2 +<none>/);
    await run("rollout", "undo", "ds/everywhere");
    await settled("ds/everywhere");
    assert.match(await run("rollout", "history", "ds/everywhere"), /\n2 +<none>\n3 +<none>/);
    await run("rollout", "restart", "ds/everywhere");
    await settled("ds/everywhere");
    assert.match(await run("get", "ds", "everywhere"), /everywhere +2 +2 +2 +2 +2 /);
  });

  test("stateful sets: in order, status, history, undo and scale", async () => {
    await create("StatefulSet", "ordered", { serviceName: "ordered", replicas: 2 });
    assert.match(await settled("sts/ordered"), /roll out complete: 2 new pods have been updated/);
    await run("set", "image", "sts/ordered", `main=${images.better}`);
    await settled("sts/ordered");
    assert.match(await run("rollout", "history", "sts/ordered"), /\n1 +<none>\n2 +<none>/);
    await run("rollout", "undo", "sts/ordered");
    await settled("sts/ordered");
    const pods = () =>
      read("pods -l app=ordered", "{range .items[*]}{.metadata.name}={..image} {end}");
    assert.match(await pods(), new RegExp(`ordered-0=${images.good}.*ordered-1=${images.good}`));
    await run("scale", "sts/ordered", "--replicas=1");
    await until(pods, (found) => !found.includes("ordered-1"));
  });

  test("jobs that end, fail, and come from a cron job", async () => {
    await run("create", "job", "ends", `--image=${images.ends}`);
    await run("wait", "--for=condition=complete", "job/ends", "--timeout=60s");
    assert.match(await run("get", "job", "ends"), /ends +(?:Complete +)?1\/1 /);
    const never = ["create", "job", "fails", `--image=${images.fails}`, "--dry-run=client"];
    const job = JSON.parse(await run(...never, "-o", "json")) as {
      spec: { backoffLimit?: number };
    };
    job.spec.backoffLimit = 0;
    await given.kubectl.pipe(job, "create", "-f", "-");
    await run("wait", "--for=condition=failed", "job/fails", "--timeout=60s");
    // The event comes after the condition.
    await until(
      () => run("describe", "job", "fails"),
      (said) => said.includes("BackoffLimitExceeded"),
    );
    // That one knows cron jobs only as they were before they had a lasting version.
    if (given.version === "1.20") return;
    await run("create", "cronjob", "often", `--image=${images.ends}`, "--schedule=0 0 1 1 *");
    await run("create", "job", "now", "--from=cronjob/often");
    await run("wait", "--for=condition=complete", "job/now", "--timeout=60s");
  });

  test("a pod by itself, and a service for it", async () => {
    await run("run", "alone", `--image=${images.good}`, "--port=80", "--expose");
    await run("wait", "--for=condition=Ready", "pod/alone", "--timeout=60s");
    assert.match(await run("get", "pod", "alone", "-o", "wide"), /Running .* node-[01] /);
    assert.equal(await read("service alone", "{.spec.selector.run}"), "alone");
    const volume = await read("pod alone", "{.spec.volumes[0].projected.sources[0]}");
    assert.match(volume, /"?expirationSeconds"?:3607/);
    if (given.version === "1.20") return;
    const bound = ["--bound-object-kind=Pod", "--bound-object-name=alone"];
    const token = await run("create", "token", "default", ...bound);
    const claims = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
    assert.match(claims, /"pod":\{"name":"alone"/);
  });
});
