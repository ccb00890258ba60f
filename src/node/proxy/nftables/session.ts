export { sessionNft } from "../../../base/host/nft-session.system.ts";
