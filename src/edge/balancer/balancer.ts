// Load balancers: assigning addresses from pools to Services, and announcing them on the LAN.

export { usualPeerPort } from "./announce/peers.ts";
export { runAnnouncer } from "./announce/run-announcer.ts";
export { loadBalancerControllers } from "./controller.ts";
export { type AddressPool, addressPools } from "./pool.ts";
