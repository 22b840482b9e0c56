/** The report's own page: reads the data that stands in it. */
import { render } from "preact";
import { DATA_ID, DATA_MARK, type PageData } from "../../runtimes/shared/benchmark/report-page.ts";
import { language, text } from "../texts.ts";
import { setColours } from "./colours.ts";
import { Report } from "./report.tsx";
import "../colours.css";
import "./report.css";
import "./charts.css";

document.documentElement.lang = language();
const root = document.getElementById("app");
const json = document.getElementById(DATA_ID)?.textContent ?? "";
if (root && json.trim() === DATA_MARK) render(<p>{text("bench.noData")}</p>, root);
else if (root) {
  const data = JSON.parse(json) as PageData;
  setColours(document.documentElement.style, data.look);
  render(<Report {...data} />, root);
}
