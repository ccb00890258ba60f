import { systemNft } from "../../../src/base/host/nft.system.ts";
import { nftContract } from "../../../src/base/host/testing/nft.contract.ts";
import { openSandbox } from "./sandbox.ts";

const sandbox = await openSandbox();
const { commands } = await sandbox.enter("nft");

nftContract("real", async () => {
  const nft = systemNft(commands);
  await nft.apply("flush ruleset");
  return nft;
});
