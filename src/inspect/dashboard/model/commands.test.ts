import assert from "node:assert/strict";
import { test } from "node:test";
import {
  logsCommand,
  mapCommand,
  objectCommand,
  policiesCommand,
  tableCommand,
} from "./commands.ts";
import { placeOf } from "./what-is.ts";

const bad = "x; reboot";

test("[DASH-1] a name in the address of the page is one word of the command beside it", () => {
  const place = { kind: "Pod", namespace: bad, name: bad } as const;
  assert.equal(objectCommand(place), "tandem describe pod 'x; reboot' --namespace 'x; reboot'");
  assert.equal(
    mapCommand({ service: `shop/${bad}` }),
    "tandem map --service 'x; reboot' --namespace shop --output svg",
  );
  assert.equal(
    policiesCommand({ namespace: "shop", name: bad }),
    "tandem policy show 'shop/x; reboot'",
  );
  assert.match(tableCommand("pods", bad), /--namespace 'x; reboot' /);
  assert.match(logsCommand(place, "main"), /--follow 'x; reboot' --namespace 'x; reboot'/);
});

test("[DASH-1] an address that names no object, or a kind that has no page, leads to none", () => {
  assert.equal(placeOf({}), undefined);
  assert.equal(placeOf({ kind: "Pod" }), undefined);
  assert.equal(placeOf({ kind: "$(reboot)", name: "x" }), undefined);
  assert.deepEqual(placeOf({ kind: "Node", name: "node-1" }), { kind: "Node", name: "node-1" });
});
