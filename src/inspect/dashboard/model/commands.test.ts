import assert from "node:assert/strict";
import { test } from "node:test";
import {
  eventsCommand,
  holdersCommand,
  logsCommand,
  mapCommand,
  objectCommand,
  podRulesCommand,
  policiesCommand,
  tableCommand,
  topCommand,
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
    podRulesCommand({ namespace: "shop", name: bad }),
    "tandem policy show 'shop/x; reboot'",
  );
  assert.equal(
    eventsCommand(place, undefined),
    "kubectl get events --namespace 'x; reboot' --field-selector 'involvedObject.kind=Pod,involvedObject.name=x; reboot'",
  );
  assert.match(tableCommand("pods", bad), /--namespace 'x; reboot' /);
  assert.match(logsCommand(place, "main"), /--follow 'x; reboot' --namespace 'x; reboot'/);
});

test("the commands of a dashboard of one namespace are about that namespace", () => {
  const all = [
    tableCommand("services", "shop"),
    topCommand("shop"),
    policiesCommand("shop"),
    holdersCommand({ hasIpam: true }, "shop"),
    eventsCommand({ kind: "Node", name: "node-1" }, "shop"),
  ];
  for (const command of all) assert.match(command, / --namespace shop( |$)/);
  assert.match(policiesCommand(undefined), / --all-namespaces /);
});

test("[DASH-1] an address that names no object, or a kind that has no page, leads to none", () => {
  assert.equal(placeOf({}), undefined);
  assert.equal(placeOf({ kind: "Pod" }), undefined);
  assert.equal(placeOf({ kind: "$(reboot)", name: "x" }), undefined);
  assert.deepEqual(placeOf({ kind: "Node", name: "node-1" }), { kind: "Node", name: "node-1" });
});
