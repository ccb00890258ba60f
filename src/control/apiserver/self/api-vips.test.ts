import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVipsOf } from "./api-vips.ts";

test("[VIP-9] the API's virtual addresses are read from whatever stands in a status", () => {
  const cases: readonly (readonly [Parameters<typeof apiVipsOf>[0], readonly string[]])[] = [
    [undefined, []],
    [{}, []],
    [{ status: {} }, []],
    [{ status: { platformStatus: { type: "BareMetal" } } }, []],
    [baremetal({ apiServerInternalIP: "192.168.111.5" }), ["192.168.111.5"]],
    [
      baremetal({
        apiServerInternalIPs: ["192.168.111.5", "FD00:111:0::5"],
        ingressIPs: ["10.0.0.1"],
      }),
      ["192.168.111.5", "fd00:111::5"],
    ],
    [baremetal({ apiServerInternalIPs: ["foo", 7, "0.0.0.0", "::"] }), []],
    [baremetal({ apiServerInternalIPs: "192.168.111.5" }), ["192.168.111.5"]],
    [{ status: { platformStatus: { baremetal: null } } }, []],
  ];
  for (const [object, addresses] of cases) {
    assert.deepEqual(apiVipsOf(object), addresses, JSON.stringify(object));
  }
});

function baremetal(status: object): object {
  return { status: { platformStatus: { type: "BareMetal", baremetal: status } } };
}
