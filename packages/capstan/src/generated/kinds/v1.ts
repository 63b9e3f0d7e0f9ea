export * from "@capstan/kinds/v1";
