export * from "@capstan/kinds/meta/v1";
