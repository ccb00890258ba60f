import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Pod } from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";
import { nodeOf, podOf } from "../../workloads/testing/objects.ts";
import { choose } from "../testing/choose.ts";

describe("host ports", () => {
  const listener = (name: string, hostIP?: string, protocol: "TCP" | "UDP" = "TCP") =>
    podOf(name, {
      spec: {
        containers: [
          {
            name: "main",
            ports: [
              {
                containerPort: 80,
                hostPort: 80,
                protocol,
                ...defined({ hostIP }),
              },
            ],
          },
        ],
      },
    });
  const cases: [taken: Pod, wanted: Pod, isFree: boolean][] = [
    [listener("q"), listener("p"), false],
    [listener("q"), listener("p", undefined, "UDP"), true],
    [listener("q", "10.0.0.1"), listener("p", "10.0.0.2"), true],
    [listener("q", "10.0.0.1"), listener("p", "10.0.0.1"), false],
    [listener("q", "10.0.0.1"), listener("p", "0.0.0.0"), false],
    [listener("q", "10.0.0.1"), listener("p", "::"), true],
    [listener("q", "fd00::1"), listener("p", "0.0.0.0"), true],
    [listener("q", "fd00::1"), listener("p", "fd00:0::1"), false],
    [listener("q", "fd00::1"), listener("p"), false],
    [listener("q", "0.0.0.0"), listener("p", "::"), true],
  ];
  const textOf = ({ spec }: Pod) => {
    const port = spec.containers[0]?.ports?.[0];
    return `${port?.protocol} ${port?.hostIP ?? "any"}`;
  };
  for (const [taken, wanted, isFree] of cases) {
    test(`${textOf(wanted)} is ${isFree ? "free" : "taken"} beside ${textOf(taken)}`, () => {
      const expected = isFree
        ? "a"
        : "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
      assert.equal(choose(wanted, [nodeOf("a")], [[taken, "a"]]), expected);
    });
  }
});
