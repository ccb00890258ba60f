import { systemIp } from "../../src/base/host/ip.system.ts";
import { systemNft } from "../../src/base/host/nft.system.ts";
import { systemSysctl } from "../../src/base/host/sysctl.system.ts";
import { systemIpvsAdmin } from "../../src/node/proxy/ipvs/ipvs-admin.system.ts";
import { ipvsProxier } from "../../src/node/proxy/ipvs/proxier.ts";
import { behaviourContract } from "../e2e/proxy/behaviour.ts";
import { type OpenProxier, scenarioContract } from "../e2e/proxy/contract.ts";
import { openLab } from "../e2e/proxy/lab.ts";

const lab = await openLab();
const open: OpenProxier = (settings, node) =>
  ipvsProxier({
    admin: systemIpvsAdmin(node),
    ip: systemIp(node),
    nft: systemNft(node),
    sysctl: systemSysctl(node),
    settings,
  });

scenarioContract("ipvs", lab, { open, lacks: ["node ports on loopback"] });
// The kernel remembers a client for at least as long as it remembers one of its connections: minutes.
behaviourContract("ipvs", lab, { open, lacks: ["forgotten"] });
