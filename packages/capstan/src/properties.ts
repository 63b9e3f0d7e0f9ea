/** Objects of your resources for property tests with fast-check, which you install yourself. */
export { arbitraryOf, invalidArbitraryOf } from "@capstan/schema/properties";
export type { Drawable, Drawn, DrawOptions } from "@capstan/schema/properties";
