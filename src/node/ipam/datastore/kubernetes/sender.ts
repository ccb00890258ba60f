import type { ApiAnswer, ApiRequest } from "../../../../api/client/transport.ts";

/** The part of a transport that is needed here. */
export interface Sender {
  send(request: ApiRequest): Promise<ApiAnswer>;
  close(): void;
}
