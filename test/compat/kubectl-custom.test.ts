// Custom resources with kubectl.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEveryKubectl, type Given } from "../fixtures/kubectl.ts";

forEveryKubectl("[API-1] custom resources", (given) => {
  test("from definition to deletion", async () => {
    const group = `v${given.version.replace(".", "-")}.example.com`;
    await given.kubectl.pipe(definition(group), "apply", "-f", "-");
    const crd = `crd/widgets.${group}`;
    await given.kubectl.run("wait", "--for=condition=Established", crd, "--timeout=60s");

    const widget = (spec: object) => ({
      apiVersion: `${group}/v1`,
      kind: "Widget",
      metadata: { name: "one" },
      spec,
    });
    await given.kubectl.pipe(widget({ size: 3 }), "apply", "-f", "-");
    await given.kubectl.pipe(widget({ size: 4 }), "apply", "-f", "-");
    const name = `widgets.${group}`;
    assert.match(await given.kubectl.run("get", name), /^NAME +SIZE +AGE\none +4 +\d+s\n$/);
    assert.match(
      await given.kubectl.run("get", name, "-o", "wide"),
      /^NAME +SIZE +COLOR +AGE\none +4 +red/,
    );

    const refused = await given.kubectl.try(["apply", "-f", "-"], {
      stdin: JSON.stringify(widget({ size: 99 })),
    });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /spec\.size: Invalid value: 99: spec\.size in body should be less than or equal to 10/,
    );

    await given.kubectl.run("scale", name, "one", "--replicas=2");
    assert.equal(
      await given.kubectl.run("get", name, "one", "-o", "jsonpath={.spec.replicas}"),
      "2",
    );
    await patchStatus(given, name);
    assert.match(
      await given.kubectl.run(
        "explain",
        name.replace(`.${group}`, ""),
        `--api-version=${group}/v1`,
      ),
      /Widget/,
    );
    assert.match(await given.kubectl.run("describe", name, "one"), /Size: +4\n/);

    await given.kubectl.run("delete", crd);
    const gone = await given.kubectl.try(["get", name]);
    assert.equal(gone.code, 1);
  });
});

async function patchStatus(given: Given, name: string): Promise<void> {
  const patch = [
    "patch",
    name,
    "one",
    "--subresource=status",
    "--type=merge",
    "-p",
    '{"status":{"phase":"Ready"}}',
  ];
  const output = await given.kubectl.try(patch);
  if (given.version === "1.20") {
    assert.match(output.stderr, /unknown flag: --subresource/);
    return;
  }
  assert.equal(output.code, 0, output.stderr);
  assert.equal(
    await given.kubectl.run("get", name, "one", "-o", "jsonpath={.status.phase}"),
    "Ready",
  );
}

function definition(group: string): object {
  const properties = {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 10 },
        color: { type: "string", enum: ["red", "blue"], default: "red" },
        replicas: { type: "integer" },
      },
    },
    status: {
      type: "object",
      properties: { phase: { type: "string" }, replicas: { type: "integer" } },
    },
  };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties } },
    subresources: {
      status: {},
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    },
    additionalPrinterColumns: [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget" },
      versions: [version],
    },
  };
}
