/** What the pages of lessons say besides the lessons themselves. */
import type { Texts } from "../texts.ts";

/** All of it. */
export const LESSON_TEXTS: Texts = {
  "lessons.intro": {
    en:
      "Each lesson plays the production nodes of this program and ends in the theatre, where " +
      "you can go on by yourself.",
    zh: "每节课都运行本程序的正式节点，并以剧场结束，您可以在那里继续探索。",
  },
  "lesson.key.next": { en: "To the next step", zh: "到下一步" },
  "lesson.key.back": { en: "To the step before", zh: "到上一步" },
  "lesson.steps": { en: "{count} steps", zh: "{count} 步" },
  "lesson.place": { en: "{at} of {count}", zh: "第 {at}/{count} 步" },
  "lesson.back": { en: "Back", zh: "上一步" },
  "lesson.next": { en: "Next", zh: "下一步" },
  "lesson.again": { en: "Play again", zh: "重新播放" },
  "lesson.open": { en: "Open this moment in the theatre", zh: "在剧场中打开此刻" },
  "lesson.list": { en: "All lessons", zh: "所有课程" },
  "lesson.following": { en: "Next lesson: {title}", zh: "下一课：{title}" },
  "lesson.look": { en: "Look at: ", zh: "请看：" },
  "lesson.checked": { en: "Checked on what is shown", zh: "已在所示状态上验证" },
  "lesson.holds": { en: "holds", zh: "成立" },
  "lesson.fails": { en: "does not hold", zh: "不成立" },
  "lesson.preparing": { en: "The nodes are working …", zh: "节点正在运行……" },
  "lesson.picture": { en: "The moment of this step", zh: "此步的画面" },
  "merkle.title": { en: "What a Merkle proof proves", zh: "默克尔证明能证明什么" },
  "merkle.about": {
    en: "Verify a real proof in the page, change a byte, and see it fail.",
    zh: "在页面中验证真实的证明，改动一个字节，看它失败。",
  },
};
