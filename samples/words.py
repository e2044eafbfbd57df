"""What the sample documents say, in each language."""

ENGLISH = {
    "lang": "en-GB",
    "font": "",
    "files": {"md": "Welcome.md", "docx": "Agreement.docx", "xlsx": "Budget.xlsx", "pptx": "Kickoff.pptx"},
    "agreement": {
        "title": "Service agreement",
        "parties": "This agreement is made between **Northwind Paper Ltd.** (the client) and **Harbour Studio** (the supplier) on 3 March 2025.",
        "services": "1. Services",
        "work": "The supplier designs and prints the quarterly catalogue. The work is done in three stages:",
        "stages": ["a draft, shown to the client within ten days;", "a proof, corrected once without charge;", "the printed edition of 2,000 copies."],
        "payment": "2. Payment",
        "invoices": "The client pays each invoice within thirty days of receipt. Late payments bear interest of **four per cent** a year.",
        "table": [["Stage", "Amount", "Due"], ["Draft", "1,200", "31 March"], ["Proof", "800", "30 April"], ["Edition", "6,400", "15 June"]],
        "term": "3. Term",
        "months": "The agreement runs for twelve months. Either side may end it with thirty days' notice in writing.",
        "law": "4. Law",
        "seat": "The agreement is governed by the law of the client's seat. Nothing in it limits liability that cannot be limited.",
    },
    "budget": {
        "sheet": "Budget",
        "title": "Budget of the spring campaign",
        "columns": ("Item", "Planned", "Spent", "Left"),
        "items": ("Travel", "Printing", "Venue", "Catering", "Photography"),
        "total": "Total",
        "dates": "Dates",
        "date_columns": ("Day", "What", "Who"),
        "events": [("Draft of the programme", "Ada"), ("Invitations", "Ben"), ("The event", "All")],
    },
    "kickoff": {
        "title": "Spring campaign",
        "subtitle": "Kick-off, Q3 planning",
        "want": ("What we want", ["Reach the readers who left us last year", "Say less, and say it better", "Decide by numbers at the end of Q3"]),
        "who": ("Who does what", [["Task", "Who", "Until"], ["Texts", "Ada", "14 March"], ["Pictures", "Ben", "21 March"], ["Print", "Harbour Studio", "2 May"]]),
        "open": ("Open questions", ["Do we print or only publish?", "Who signs the agreement?"]),
    },
    "welcome": """# Welcome to Stet

Stet edits your own documents in place. You say what should change; you see it before and after, side by side;
nothing is saved until you accept. And you can always go back.

## Try it

- On the right, write: replace "pilot" with "trial"
- Look at the two sides, then accept or reject.
- Open *History* and undo it.

The other three documents are a Word agreement, an Excel budget and a PowerPoint deck. They are copies that belong to
you: change them as you like.

## A plan to change

The pilot begins in March with two teams and ends in June.
Each team keeps a diary of what it changed.

| Week | Team | What |
|-----:|:-----|:-----|
| 10 | A | Choose the documents for the pilot |
| 12 | B | Agree on the words |
| 24 | A and B | Measure, then decide |

The built-in model understands plain commands and needs no key and no network. For free language, choose a model in
the settings.

---

中文：在右边输入 把“试点”改成“试验”，先看改动前后的样子，再决定是否接受。试点从三月开始，六月结束。
""",
}

CHINESE = {
    "lang": "zh-CN",
    "font": "Microsoft YaHei",
    "files": {"md": "zh/欢迎.md", "docx": "zh/协议.docx", "xlsx": "zh/预算.xlsx", "pptx": "zh/启动会.pptx"},
    "agreement": {
        "title": "服务协议",
        "parties": "本协议由**北风纸业有限公司**（甲方）与**海港设计工作室**（乙方）于2025年3月3日签订。",
        "services": "一、服务内容",
        "work": "乙方设计并印制每季目录。工作分三个阶段完成：",
        "stages": ["初稿，十日内交甲方审阅；", "校样，免费修改一次；", "正式印刷2,000册。"],
        "payment": "二、付款",
        "invoices": "甲方在收到发票后三十日内付款。逾期付款按每年**百分之四**计息。",
        "table": [["阶段", "金额", "到期日"], ["初稿", "1,200", "3月31日"], ["校样", "800", "4月30日"], ["印刷", "6,400", "6月15日"]],
        "term": "三、期限",
        "months": "本协议有效期为十二个月。任何一方可提前三十日书面通知终止。",
        "law": "四、适用法律",
        "seat": "本协议适用甲方所在地的法律。本协议不限制依法不得限制的责任。",
    },
    "budget": {
        "sheet": "预算",
        "title": "春季活动预算",
        "columns": ("项目", "计划", "已用", "剩余"),
        "items": ("差旅", "印刷", "场地", "餐饮", "摄影"),
        "total": "合计",
        "dates": "日程",
        "date_columns": ("日期", "事项", "负责人"),
        "events": [("节目初稿", "小安"), ("发出邀请", "小本"), ("活动当天", "全体")],
    },
    "kickoff": {
        "title": "春季活动",
        "subtitle": "启动会，三季度计划",
        "want": ("我们要做什么", ["找回去年离开的读者", "少说一点，说得更好", "三季度末用数字做决定"]),
        "who": ("分工", [["任务", "负责人", "截止"], ["文字", "小安", "3月14日"], ["图片", "小本", "3月21日"], ["印刷", "海港设计工作室", "5月2日"]]),
        "open": ("待定问题", ["印刷还是只在网上发布？", "谁来签协议？"]),
    },
    "welcome": """# 欢迎使用 Stet

Stet 就地编辑您自己的文档。您说出要改什么，并排看到改动前后的样子；接受之前不会保存任何内容，而且随时可以退回。

## 试一试

- 在右边输入：把“试点”改成“试验”
- 看看左右两边，然后接受或拒绝。
- 打开*历史*，把它撤销。

另外三个文档是一份 Word 协议、一份 Excel 预算和一份 PowerPoint 演示。它们是属于您的副本，可以随意修改。

## 一份可以修改的计划

试点从三月开始，有两个团队参加，六月结束。
每个团队都记录自己改了什么。

| 周次 | 团队 | 事项 |
|-----:|:-----|:-----|
| 10 | 甲 | 选定试点用的文档 |
| 12 | 乙 | 商定用词 |
| 24 | 甲和乙 | 评估，然后决定 |

内置模型能听懂简单的命令，不需要密钥，也不需要网络。要用自由的语言表达，请在设置中选择模型。
""",
}

LANGUAGES = [ENGLISH, CHINESE]
