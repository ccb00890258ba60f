import { families } from "../net/family.ts";
import { FakeIptables } from "./iptables.fake.ts";
import { iptablesContract } from "./testing/iptables.contract.ts";

for (const family of families) {
  iptablesContract(`fake ${family}`, {
    open: async () => new FakeIptables(family),
    tellsWhy: true,
  });
}
