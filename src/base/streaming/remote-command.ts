import { protocolOf, type UpgradeRequest } from "./handshake.ts";
import { acceptSpdyCommand } from "./remote-command-spdy.ts";
import type { RemoteCommand, WantedStreams } from "./remote-command-types.ts";
import { acceptWebSocketCommand } from "./remote-command-websocket.ts";

export async function acceptRemoteCommand(
  upgrade: UpgradeRequest,
  wanted: WantedStreams,
): Promise<RemoteCommand> {
  const accept = protocolOf(upgrade) === "spdy" ? acceptSpdyCommand : acceptWebSocketCommand;
  return await accept(upgrade, wanted);
}
