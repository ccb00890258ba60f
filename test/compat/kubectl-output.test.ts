// Reading objects with kubectl, in every form it knows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { forEveryKubectl, type Given } from "../fixtures/kubectl.ts";

forEveryKubectl("[API-1] output", (given) => {
  test("get in every output form", async () => {
    await create(given, "shown", { a: "1" });
    const get = (...args: string[]) => given.kubectl.run("get", "configmap", "shown", ...args);
    assert.match(await get(), /^NAME +DATA +AGE\nshown +1 +\d+s\n$/);
    assert.match(await get("-o", "wide"), /^NAME +DATA +AGE\n/);
    assert.match(await get("--no-headers"), /^shown/);
    assert.match(await get("--show-labels"), /LABELS\n.*kind=test/);
    assert.match(await get("-L", "kind"), /KIND\n.*test/);
    assert.match(await get("--show-kind"), /configmap\/shown/);
    assert.equal(await get("-o", "name"), "configmap/shown\n");
    assert.match(await get("-o", "yaml"), /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\n/);
    assert.deepEqual((JSON.parse(await get("-o", "json")) as { data: object }).data, { a: "1" });
    assert.equal(await get("-o", "jsonpath={.data.a}"), "1");
    assert.equal(await get("-o", "go-template={{.data.a}}"), "1");
    assert.equal(
      await get("-o", "custom-columns=N:.metadata.name,D:.data.a"),
      "N       D\nshown   1\n",
    );
  });

  test("get of several kinds, and of all", async () => {
    await given.kubectl.run("create", "deployment", "various", "--image=nginx");
    await given.kubectl.run("create", "service", "clusterip", "various", "--tcp=80");
    const both = await given.kubectl.run("get", "service,deployment", "-o", "name");
    assert.equal(both, "service/various\ndeployment.apps/various\n");
    assert.match(
      await given.kubectl.run("get", "all"),
      /service\/various[^]*deployment\.apps\/various/,
    );
    assert.match(
      await given.kubectl.run("get", "deploy", "-o", "wide"),
      /CONTAINERS +IMAGES +SELECTOR/,
    );
    assert.match(
      await given.kubectl.run("get", "svc", "-o", "wide"),
      /SELECTOR\nvarious .* app=various/,
    );
  });

  test("selectors, sorting and pages", async () => {
    for (const name of ["c", "a", "b"]) {
      await create(given, `sorted-${name}`, {});
      await given.kubectl.run("label", "configmap", `sorted-${name}`, "sorted=yes");
    }
    const get = (...args: string[]) =>
      given.kubectl.run("get", "configmap", "-l", "sorted in (yes,maybe)", "-o", "name", ...args);
    assert.equal(await get(), "configmap/sorted-a\nconfigmap/sorted-b\nconfigmap/sorted-c\n");
    assert.equal(await get("--chunk-size=1"), await get());
    const byTime = await get("--sort-by=.metadata.creationTimestamp");
    assert.equal(byTime.split("\n").length, 4);
    assert.equal(await get("--field-selector=metadata.name=sorted-b"), "configmap/sorted-b\n");
    const wrong = await given.kubectl.try(["get", "pods", "--field-selector=spec.nonsense=1"]);
    assert.match(wrong.stderr, /field label not supported: spec\.nonsense/);
  });

  test("get --watch shows changes as they come", { timeout: 240_000 }, async () => {
    await create(given, "watched", { a: "1" });
    const lines: string[] = [];
    const watching = await given.kubectl.start(
      ["get", "configmap", "watched", "--watch", "-o", "jsonpath={.data.a}{'\\n'}"],
      (line) => lines.push(line),
    );
    const table: string[] = [];
    const tabular = await given.kubectl.start(
      ["get", "configmap", "--watch", "--field-selector=metadata.name=watched"],
      (line) => table.push(line),
    );
    try {
      await until(() => lines.includes("1") && table.length >= 2);
      await given.kubectl.run(
        "patch",
        "configmap",
        "watched",
        "--type=merge",
        "-p",
        '{"data":{"a":"2","b":"3"}}',
      );
      await until(() => lines.includes("2") && table.length >= 3);
      assert.deepEqual(
        table.slice(0, 3).map((line) => line.replace(/ +\d+s$/, "").trim()),
        ["NAME      DATA   AGE", "watched   1", "watched   2"],
      );
    } finally {
      await watching.stop();
      await tabular.stop();
    }
  });

  test("describe", async () => {
    await create(given, "described", { key: "value" });
    assert.match(
      await given.kubectl.run("describe", "configmap", "described"),
      /^Name: +described\nNamespace: +with-[\d-]+\nLabels: +kind=test\n[^]*key:\n----\nvalue\n/,
    );
    await given.kubectl.run("run", "pod", "--image=nginx");
    assert.match(
      await given.kubectl.run("describe", "pod", "pod"),
      /^Name: +pod\n[^]*Status: +Pending\n[^]*Image: +nginx\n/,
    );
    await given.kubectl.run("create", "service", "clusterip", "described", "--tcp=80");
    assert.match(
      await given.kubectl.run("describe", "service", "described"),
      /IP Family Policy: +SingleStack\nIP Families: +IPv4\nIP: +10\.96\.[^]*Endpoints:/,
    );
    assert.match(
      await given.kubectl.run("describe", "namespace", given.namespace),
      /Status: +Active/,
    );
  });

  test("events", async () => {
    await create(given, "noted", {});
    const uid = await given.kubectl.run(
      "get",
      "configmap",
      "noted",
      "-o",
      "jsonpath={.metadata.uid}",
    );
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "noted.1", namespace: given.namespace },
      involvedObject: {
        kind: "ConfigMap",
        uid,
        name: "noted",
        namespace: given.namespace,
        apiVersion: "v1",
      },
      reason: "Tested",
      message: "it was tested",
      type: "Normal",
      firstTimestamp: new Date().toISOString(),
      lastTimestamp: new Date().toISOString(),
      count: 1,
    };
    await given.kubectl.pipe(event, "create", "-f", "-");
    assert.match(
      await given.kubectl.run("get", "events"),
      /Normal +Tested +configmap\/noted +it was tested/,
    );
    assert.match(
      await given.kubectl.run("describe", "configmap", "noted"),
      /Normal +Tested [^]*it was tested/,
    );
    const newer = await given.kubectl.run(
      "get",
      "events.events.k8s.io",
      "noted.1",
      "-o",
      "jsonpath={.note}",
    );
    assert.equal(newer, "it was tested");
    const command = await given.kubectl.try(["events", "--for=configmap/noted"]);
    if (given.version === "1.20") assert.equal(command.code, 1);
    else assert.match(command.stdout, /Normal +Tested +ConfigMap\/noted +it was tested/);
  });
});

async function create(given: Given, name: string, data: Record<string, string>): Promise<void> {
  const metadata = { name, labels: { kind: "test" } };
  await given.kubectl.pipe(
    { apiVersion: "v1", kind: "ConfigMap", metadata, data },
    "create",
    "-f",
    "-",
  );
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("Cannot go on: what was waited for did not come");
    await sleep(20);
  }
}
