import { Informers } from "../../../api/client/informer.ts";
import { ListenError } from "../../../base/program/listen.system.ts";
import { type Part, runAll } from "../../../base/program/run-all.ts";
import { Announcer, type AnnouncerOptions } from "./announcer.ts";
import { openPeersServer } from "./peers.ts";

/** Runs the announcer; resolves when the signal has aborted and no address is left on this node. */
export async function runAnnouncer(options: AnnouncerOptions, signal: AbortSignal): Promise<void> {
  const informers = new Informers(options);
  const announcer = new Announcer(options, informers);
  const peers = await openPeers(options, () => announcer.isWitness);
  const following: Part = { name: "informers", run: (stop) => informers.run(stop) };
  try {
    await runAll([following, ...peers, ...announcer.parts], signal);
  } finally {
    await announcer.leave();
  }
}

/** Opens the peer server; a node where that fails is like one that its peers cannot reach. */
async function openPeers(
  { peerPort, log }: AnnouncerOptions,
  isWitness: () => boolean,
): Promise<Part[]> {
  try {
    return [await openPeersServer(peerPort, isWitness)];
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    log.warn("Other announcers cannot ask this one", { error });
    return [];
  }
}
