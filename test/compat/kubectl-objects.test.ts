// Writing objects with kubectl, in every way it knows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEveryKubectl, type Given } from "../fixtures/kubectl.ts";

const generators: readonly string[][] = [
  ["configmap", "made", "--from-literal=a=1"],
  ["secret", "generic", "made", "--from-literal=a=1"],
  ["serviceaccount", "made"],
  ["deployment", "made", "--image=nginx"],
  ["service", "nodeport", "made-port", "--tcp=80"],
  ["service", "externalname", "made-name", "--external-name=example.com"],
  ["job", "made", "--image=busybox", "--", "date"],
  ["cronjob", "made", "--image=busybox", "--schedule=0 0 * * *", "--", "date"],
  ["role", "made", "--verb=get", "--resource=pods"],
  ["rolebinding", "made", "--role=made", "--serviceaccount=NS:made"],
  ["clusterrole", "made-NS", "--verb=get", "--resource=nodes"],
  ["clusterrolebinding", "made-NS", "--clusterrole=made-NS", "--group=people"],
  ["ingress", "made", "--rule=example.com/path=web:80"],
  ["poddisruptionbudget", "made", "--selector=app=web", "--min-available=1"],
  ["quota", "made", "--hard=count/replicasets.apps=50"],
  ["priorityclass", "made-NS", "--value=5"],
  ["token", "made"],
];

forEveryKubectl("[API-1] objects", (given) => {
  for (const [kind, ...args] of generators) {
    test(`create ${kind}`, async () => {
      const isOld =
        given.version === "1.20" &&
        (kind === "poddisruptionbudget" || kind === "token" || kind === "cronjob");
      // Those that want a kind this server never had, or a command that came later.
      const output = await given.kubectl.try([
        "create",
        kind ?? "",
        ...args.map((each) => each.replace("NS", given.namespace)),
      ]);
      assert.equal(output.code === 0, !isOld, output.stderr);
    });
  }

  test("run and expose", async () => {
    await given.kubectl.run("run", "one", "--image=nginx", "--port=80");
    await given.kubectl.run("expose", "pod", "one", "--port=80");
    assert.match(await given.kubectl.run("get", "service", "one"), /one +ClusterIP +10\.96\./);
  });

  test("apply, twice", async () => {
    assert.equal(
      await apply(given, configMap("applied", { a: "1" })),
      "configmap/applied created\n",
    );
    assert.equal(
      await apply(given, configMap("applied", { a: "1" })),
      "configmap/applied unchanged\n",
    );
    assert.equal(
      await apply(given, configMap("applied", { b: "2" })),
      "configmap/applied configured\n",
    );
    assert.deepEqual(await dataOf(given, "applied"), { b: "2" });
  });

  test("diff", async () => {
    await apply(given, configMap("differs", { a: "1" }));
    const same = await given.kubectl.try(["diff", "-f", "-"], {
      stdin: configMap("differs", { a: "1" }),
    });
    assert.equal(same.code, 0, same.stderr);
    const other = await given.kubectl.try(["diff", "-f", "-"], {
      stdin: configMap("differs", { a: "2" }),
    });
    assert.equal(other.code, 1, other.stderr);
    assert.match(other.stdout, /^-  a: "1"\n\+  a: "2"$/m);
    assert.deepEqual(await dataOf(given, "differs"), { a: "1" });
  });

  test("apply --server-side: conflicts, and taking over by force", async () => {
    const first = configMap("shared", { a: "1", b: "1" });
    const second = configMap("shared", { a: "2" });
    assert.match(
      await apply(given, first, "--server-side", "--field-manager=one"),
      /^configmap\/shared serverside-applied/,
    );
    const refused = await given.kubectl.try(
      ["apply", "--server-side", "--field-manager=two", "-f", "-"],
      {
        stdin: second,
      },
    );
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Apply failed with 1 conflict: conflict with "one".*: \.data\.a/);
    await apply(given, second, "--server-side", "--field-manager=two", "--force-conflicts");
    assert.deepEqual(await dataOf(given, "shared"), { a: "2", b: "1" });
    // What nobody wants any more goes; what another owns stays.
    await apply(given, configMap("shared", {}), "--server-side", "--field-manager=one");
    assert.deepEqual(await dataOf(given, "shared"), { a: "2" });
  });

  test("edit", async () => {
    await apply(given, configMap("edited", { word: "before" }));
    const edited = await given.kubectl.try(["edit", "configmap", "edited"], {
      environment: { KUBE_EDITOR: "sed -i s/before/after/" },
    });
    assert.equal(edited.code, 0, edited.stderr);
    assert.deepEqual(await dataOf(given, "edited"), { word: "after" });
  });

  test("patch, of all three types", async () => {
    await given.kubectl.run("create", "deployment", "patched", "--image=nginx");
    const patch = (type: string, value: unknown) =>
      given.kubectl.run(
        "patch",
        "deployment",
        "patched",
        `--type=${type}`,
        "-p",
        JSON.stringify(value),
      );
    await patch("strategic", {
      spec: { template: { spec: { containers: [{ name: "side", image: "busybox" }] } } },
    });
    await patch("merge", { spec: { replicas: 3 } });
    await patch("json", [
      { op: "replace", path: "/spec/template/spec/containers/0/image", value: "x" },
    ]);
    const images = await given.kubectl.run(
      "get",
      "deployment",
      "patched",
      "-o",
      "jsonpath={.spec.replicas} {.spec.template.spec.containers[*].image}",
    );
    assert.equal(images, "3 x nginx");
  });

  test("label and annotate", async () => {
    await apply(given, configMap("marked", {}));
    await given.kubectl.run("label", "configmap", "marked", "color=red");
    await given.kubectl.run("annotate", "configmap", "marked", "note=hello there");
    const twice = await given.kubectl.try(["label", "configmap", "marked", "color=blue"]);
    assert.match(twice.stderr, /already has a value/);
    await given.kubectl.run("label", "configmap", "marked", "color-");
    const marks = await given.kubectl.run(
      "get",
      "configmap",
      "marked",
      "-o",
      "jsonpath={.metadata.labels}{.metadata.annotations.note}",
    );
    assert.equal(marks, "hello there");
  });

  test("replace", async () => {
    await apply(given, configMap("replaced", { a: "1" }));
    await given.kubectl.pipe(configMap("replaced", { b: "2" }), "replace", "-f", "-");
    assert.deepEqual(await dataOf(given, "replaced"), { b: "2" });
  });

  test("--dry-run=server leaves nothing behind", async () => {
    const made = await given.kubectl.run(
      "create",
      "configmap",
      "dry",
      "--dry-run=server",
      "-o",
      "name",
    );
    assert.equal(made, "configmap/dry\n");
    assert.match((await given.kubectl.try(["get", "configmap", "dry"])).stderr, /"dry" not found/);
    await apply(given, configMap("wet", { a: "1" }));
    await apply(given, configMap("wet", { a: "2" }), "--dry-run=server");
    assert.deepEqual(await dataOf(given, "wet"), { a: "1" });
  });

  test("unknown fields are refused, or warned about", async () => {
    const odd = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"odd"},"dta":{}}';
    const refused = await given.kubectl.try(["create", "-f", "-"], { stdin: odd });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /unknown field "(?:ConfigMap\.)?dta"|unknown field "dta"/);
  });

  test("invalid objects are refused by name and field", async () => {
    const invalid = '{"apiVersion":"v1","kind":"Service","metadata":{"name":"Upper"},"spec":{}}';
    const refused = await given.kubectl.try(["create", "-f", "-"], { stdin: invalid });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /The Service "Upper" is invalid/);
    assert.match(refused.stderr, /metadata\.name: Invalid value: "Upper"/);
    assert.match(refused.stderr, /spec\.ports: Required value/);
  });

  test("delete waits for finalizers", async () => {
    const held = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "held", finalizers: ["example.com/hold"] },
    });
    await given.kubectl.pipe(held, "create", "-f", "-");
    const late = await given.kubectl.try(["delete", "configmap", "held", "--timeout=1s"]);
    assert.equal(late.code, 1);
    const stamp = ["get", "configmap", "held", "-o", "jsonpath={.metadata.deletionTimestamp}"];
    assert.match(await given.kubectl.run(...stamp), /^\d{4}-/);
    const waiting = given.kubectl.try(["wait", "--for=delete", "configmap/held", "--timeout=60s"]);
    await given.kubectl.run(
      "patch",
      "configmap",
      "held",
      "--type=merge",
      "-p",
      '{"metadata":{"finalizers":null}}',
    );
    const { code, stderr } = await waiting;
    // The oldest calls it an error when the object went before it looked.
    assert.ok(code === 0 || stderr.includes("no matching resources found"), stderr);
    assert.match((await given.kubectl.try(["get", "configmap", "held"])).stderr, /not found/);
  });

  test("delete by selector", async () => {
    for (const name of ["d1", "d2", "d3"]) await apply(given, configMap(name, {}));
    await given.kubectl.run("label", "configmap", "d1", "d2", "doomed=yes");
    await given.kubectl.run("delete", "configmap", "-l", "doomed=yes");
    const left = await given.kubectl.run("get", "configmap", "d3", "-o", "name");
    assert.equal(left, "configmap/d3\n");
    assert.match((await given.kubectl.try(["get", "configmap", "d1"])).stderr, /not found/);
  });
});

function configMap(name: string, data: Record<string, string>): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}

function apply(given: Given, object: string, ...args: string[]): Promise<string> {
  return given.kubectl.pipe(object, "apply", ...args, "-f", "-");
}

async function dataOf(given: Given, name: string): Promise<unknown> {
  const text = await given.kubectl.run("get", "configmap", name, "-o", "json");
  return (JSON.parse(text) as { data?: unknown }).data ?? {};
}
