import { iptablesContract } from "./iptables.ts";

await iptablesContract("legacy");
