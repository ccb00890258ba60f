export { Wakeup } from "../../../base/host/wakeup.ts";
