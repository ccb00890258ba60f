import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyChainsScript, isEmptyTable } from "./host-ports.ts";

const saved = `*nat
:PREROUTING ACCEPT [0:0]
:CNI-HOSTPORT-DNAT - [0:0]
:CNI-HOSTPORT-MASQ - [0:0]
-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
-A POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ
-A POSTROUTING -j OTHERS
-A CNI-HOSTPORT-MASQ -m mark --mark 0x2000/0x2000 -j MASQUERADE
COMMIT
`;

test("[INST-5] chains of host ports go with the rules that lead to them, and nothing else", () => {
  assert.equal(
    emptyChainsScript(saved),
    `*nat
-D PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
-D POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ
-F CNI-HOSTPORT-DNAT
-F CNI-HOSTPORT-MASQ
-X CNI-HOSTPORT-DNAT
-X CNI-HOSTPORT-MASQ
COMMIT
`,
  );
});

test("[INST-5] chains of host ports stay while a pod uses one, and there may be none", () => {
  assert.equal(
    emptyChainsScript(saved.replace("COMMIT", ":CNI-DN-0123 - [0:0]\nCOMMIT")),
    undefined,
  );
  assert.equal(emptyChainsScript("*nat\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n"), undefined);
});

test("[INST-5] a table without rules is told from one with some", () => {
  const empty =
    "table ip nat {\n\tchain PREROUTING {\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n\t}\n}\n";
  assert.ok(isEmptyTable(empty));
  assert.ok(!isEmptyTable(empty.replace("accept;\n", "accept;\n\t\taccept\n")));
});
