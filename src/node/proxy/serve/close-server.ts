import type { Server } from "node:http";

/** Closes a server. Answers under way are cut off: clients that ask about health ask again. */
export async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}
