import { families } from "../net/family.ts";
import { iptablesContract } from "./iptables.contract.ts";
import { FakeIptables } from "./iptables.fake.ts";

for (const family of families) {
  iptablesContract(`fake ${family}`, {
    open: async () => new FakeIptables(family),
    tellsWhy: true,
  });
}
