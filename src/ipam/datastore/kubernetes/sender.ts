import type { ApiAnswer, ApiRequest } from "../../../client/transport/message.ts";

/** The part of a transport that is needed here. */
export interface Sender {
  send(request: ApiRequest): Promise<ApiAnswer>;
  close(): void;
}
