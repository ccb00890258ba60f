import { systemNft } from "../../../src/host/nft.system.ts";
import { nftablesProxier } from "../../../src/proxy/nftables/proxier.ts";
import { scenarioContract } from "./contract.ts";
import { openLab } from "./lab.ts";

const lab = await openLab();

scenarioContract("nftables", lab, (settings, node) =>
  nftablesProxier({ nft: systemNft(node), settings }),
);
