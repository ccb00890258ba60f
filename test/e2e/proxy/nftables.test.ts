import { systemNft } from "../../../src/base/host/nft.system.ts";
import { nftablesProxier } from "../../../src/node/proxy/nftables/proxier.ts";
import { behaviourContract } from "./behaviour.ts";
import { type OpenProxier, scenarioContract } from "./contract.ts";
import { openLab } from "./lab.ts";

const lab = await openLab();
const open: OpenProxier = (settings, node) => nftablesProxier({ nft: systemNft(node), settings });

scenarioContract("nftables", lab, { open });
behaviourContract("nftables", lab, { open });
