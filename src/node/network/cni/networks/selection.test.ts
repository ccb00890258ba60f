import assert from "node:assert/strict";
import { test } from "node:test";
import { isInvalidConfiguration } from "../error.ts";
import { parseNetworkSelections } from "./selection.ts";

test("[CNI-4] the short form names networks, their namespaces and interfaces", () => {
  const found = parseNetworkSelections(" storage@eth7, lab/blue ,red.v2", "default");
  assert.deepEqual(
    found.map(({ namespace, name, interface: link }) => [namespace, name, link]),
    [
      ["default", "storage", "eth7"],
      ["lab", "blue", undefined],
      ["default", "red.v2", undefined],
    ],
  );
  assert.deepEqual(parseNetworkSelections("  ", "default"), []);
});

test("[CNI-4] [PROP-5] the JSON form says more", () => {
  const [one, ...others] = parseNetworkSelections(
    JSON.stringify([
      {
        name: "blue",
        namespace: "lab",
        interface: "blue0",
        ips: ["10.1.0.7/24", "fd01::7"],
        mac: "02:00:00:00:00:07",
        "infiniband-guid": "24:8a:07:03:00:8d:ae:2e",
        "default-route": ["10.1.0.1", "fd01::1"],
        "cni-args": { colour: "blue" },
        portMappings: [{ hostPort: 8080, containerPort: 80, protocol: "TCP", hostIP: "::1" }],
        bandwidth: { ingressRate: 1000 },
        "service.kubernetes.io/service-controller-name": "blue",
      },
      { name: "red" },
    ]),
    "default",
  );
  assert.deepEqual(
    { ...one, defaultRoute: one?.defaultRoute.map(String) },
    {
      namespace: "lab",
      name: "blue",
      interface: "blue0",
      capabilities: {
        ips: ["10.1.0.7/24", "fd01::7"],
        mac: "02:00:00:00:00:07",
        infinibandGUID: "24:8a:07:03:00:8d:ae:2e",
        bandwidth: { ingressRate: 1000 },
        portMappings: [{ hostPort: 8080, containerPort: 80, protocol: "tcp", hostIP: "::1" }],
      },
      cniArguments: { colour: "blue" },
      defaultRoute: ["10.1.0.1", "fd01::1"],
      serviceController: "blue",
    },
  );
  assert.deepEqual(others, [
    { namespace: "default", name: "red", capabilities: {}, defaultRoute: [] },
  ]);
});

const refused: readonly (readonly [string, RegExp])[] = [
  ["a,,b", /k8s\.v1\.cni\.cncf\.io\/networks "": it is not \[namespace\/\]name\[@interface\]/],
  ["a/b/c", /"a\/b\/c"/],
  ["a@an-interface-with-a-long-name", /"a@an-interface-with-a-long-name"/],
  ["Upper", /"Upper"/],
  ["[{", /as JSON: /],
  ["[5]", /Cannot use \[0\] 5 of annotation/],
  ['[{"namespace":"x"}]', /Cannot use \[0\]\.name of annotation .*: it is missing/],
  ['[{"name":"a","ips":["10.0.0.300"]}]', /\[0\]\.ips\[0\] "10\.0\.0\.300" .*neither/],
  ['[{"name":"a","default-route":["x"]}]', /\[0\]\.default-route\[0\] "x" .*no address/],
  ['[{"name":"a","portMappings":[{"hostPort":0}]}]', /\[0\]\.portMappings\[0\]\.hostPort 0 /],
];
for (const [annotation, message] of refused) {
  test(`[CNI-4] refused: ${annotation}`, () => {
    assert.throws(
      () => parseNetworkSelections(annotation, "default"),
      (error: Error) => {
        assert.match(error.message, message);
        return isInvalidConfiguration(error);
      },
    );
  });
}
