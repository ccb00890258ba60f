export { systemClasses } from "./scheduling/priority-class.ts";
