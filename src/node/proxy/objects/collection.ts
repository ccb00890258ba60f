export { Collection, type CollectionParts } from "../../../api/client/informer.ts";
