/** The page: one shell around its parts, which are loaded when they are opened. */
import { render } from "preact";
import { App } from "./app.tsx";
import { language } from "./texts.ts";
import { showTheme, theme } from "./theme.ts";
import "./style.css";

showTheme(theme());
document.documentElement.lang = language();

const root = document.getElementById("app");
if (root) render(<App />, root);
