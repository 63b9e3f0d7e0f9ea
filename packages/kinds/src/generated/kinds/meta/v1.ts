export type * from "../../shapes/meta/v1.ts";
