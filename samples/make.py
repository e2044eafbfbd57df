"""Makes the sample documents: `python3 samples/make.py`. Standard library only; the same bytes on every run.

Small, plain and complete packages: what Word, Excel, PowerPoint and LibreOffice expect to find, and nothing more.
English ones lie here, Chinese ones in `zh/`; their words are in `words.py`.
"""
import pathlib
import zipfile
from xml.sax.saxutils import escape

from words import LANGUAGES

HERE = pathlib.Path(__file__).parent
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def write(name, parts, words):
    with zipfile.ZipFile(HERE / name, "w", zipfile.ZIP_DEFLATED) as package:
        for path, text in parts.items():
            text = text.replace('lang="en-GB"', f'lang="{words["lang"]}"').replace('w:lang w:val="en-GB"', f'w:lang w:val="{words["lang"]}"')
            if words["font"]:
                text = text.replace('<a:ea typeface=""/>', f'<a:ea typeface="{words["font"]}"/>').replace('w:cs="Calibri"/>', f'w:cs="Calibri" w:eastAsia="{words["font"]}"/>')
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(entry, text)


def types(defaults, overrides):
    rows = [f'<Default Extension="{e}" ContentType="{t}"/>' for e, t in defaults.items()]
    rows += [f'<Override PartName="{p}" ContentType="{t}"/>' for p, t in overrides.items()]
    return f'{HEAD}<Types xmlns="{PACKAGE}/content-types">{"".join(rows)}</Types>'


def rels(*targets):
    rows = [f'<Relationship Id="rId{n}" Type="{OFFICE}/{kind}" Target="{target}"/>' for n, (kind, target) in enumerate(targets, 1)]
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{"".join(rows)}</Relationships>'


XML = {"rels": f"application/vnd.openxmlformats-package.relationships+xml", "xml": "application/xml"}

THEME = f'''{HEAD}<a:theme xmlns:a="{A}" name="Stet"><a:themeElements><a:clrScheme name="Stet"><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1><a:sysClr val="window" lastClr="FFFFFF"/></a:lt1><a:dk2><a:srgbClr val="1D4A3F"/></a:dk2><a:lt2><a:srgbClr val="F3F2EE"/></a:lt2><a:accent1><a:srgbClr val="1F6552"/></a:accent1><a:accent2><a:srgbClr val="E0913A"/></a:accent2><a:accent3><a:srgbClr val="5D6A75"/></a:accent3><a:accent4><a:srgbClr val="2B5EB0"/></a:accent4><a:accent5><a:srgbClr val="B9472A"/></a:accent5><a:accent6><a:srgbClr val="7A9E2E"/></a:accent6><a:hlink><a:srgbClr val="1F6552"/></a:hlink><a:folHlink><a:srgbClr val="5D6A75"/></a:folHlink></a:clrScheme><a:fontScheme name="Stet"><a:majorFont><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:majorFont><a:minorFont><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme><a:fmtScheme name="Stet"><a:fillStyleLst><a:solidFill><a:schemeClr val="phClr"/></a:solidFill><a:solidFill><a:schemeClr val="phClr"/></a:solidFill><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:fillStyleLst><a:lnStyleLst><a:ln w="6350"><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln><a:ln w="12700"><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln><a:ln w="19050"><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln></a:lnStyleLst><a:effectStyleLst><a:effectStyle><a:effectLst/></a:effectStyle><a:effectStyle><a:effectLst/></a:effectStyle><a:effectStyle><a:effectLst/></a:effectStyle></a:effectStyleLst><a:bgFillStyleLst><a:solidFill><a:schemeClr val="phClr"/></a:solidFill><a:solidFill><a:schemeClr val="phClr"/></a:solidFill><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>'''

# ---- Word ----

WORD_STYLES = f'''{HEAD}<w:styles xmlns:w="{W}"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/><w:szCs w:val="22"/><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="140" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style><w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:spacing w:after="60"/></w:pPr><w:rPr><w:b/><w:color w:val="1D4A3F"/><w:sz w:val="44"/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:spacing w:before="280" w:after="80"/><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:color w:val="1F6552"/><w:sz w:val="28"/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="ListParagraph"><w:name w:val="List Paragraph"/><w:basedOn w:val="Normal"/><w:qFormat/><w:pPr><w:spacing w:after="60"/><w:ind w:left="720"/></w:pPr></w:style><w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:top w:w="40" w:type="dxa"/><w:left w:w="108" w:type="dxa"/><w:bottom w:w="40" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style></w:styles>'''

NUMBERING = f'''{HEAD}<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="singleLevel"/><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'''


def run(text, bold=False):
    properties = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f'<w:r>{properties}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(text, style=None, bullet=False):
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if bullet:
        properties = '<w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    properties = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    runs = "".join(run(piece, bold=index % 2 == 1) for index, piece in enumerate(text.split("**")) if piece)
    return f"<w:p>{properties}{runs}</w:p>"


def table(rows):
    line = '<w:{0} w:val="single" w:sz="4" w:space="0" w:color="B8C4BE"/>'
    borders = "".join(line.format(side) for side in ("top", "left", "bottom", "right", "insideH", "insideV"))
    grid = '<w:gridCol w:w="3000"/><w:gridCol w:w="3000"/><w:gridCol w:w="3000"/>'
    body = ""
    for number, cells in enumerate(rows):
        fill = '<w:shd w:val="clear" w:color="auto" w:fill="DCEBE5"/>' if number == 0 else ""
        body += "<w:tr>" + "".join(f'<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/>{fill}</w:tcPr>{paragraph(f"**{cell}**" if number == 0 else cell)}</w:tc>' for cell in cells) + "</w:tr>"
    return f'<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/><w:tblBorders>{borders}</w:tblBorders></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{body}</w:tbl>'


def agreement(words):
    said = words["agreement"]
    body = [
        paragraph(said["title"], "Title"),
        paragraph(said["parties"]),
        paragraph(said["services"], "Heading1"),
        paragraph(said["work"]),
        *(paragraph(stage, bullet=True) for stage in said["stages"]),
        paragraph(said["payment"], "Heading1"),
        paragraph(said["invoices"]),
        table(said["table"]),
        paragraph(said["term"], "Heading1"),
        paragraph(said["months"]),
        paragraph(said["law"], "Heading1"),
        paragraph(said["seat"]),
    ]
    section = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1417" w:right="1417" w:bottom="1417" w:left="1417" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr>'
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    write(words["files"]["docx"], {
        "[Content_Types].xml": types(XML, {"/word/document.xml": f"{word}.document.main+xml", "/word/styles.xml": f"{word}.styles+xml", "/word/numbering.xml": f"{word}.numbering+xml", "/word/theme/theme1.xml": "application/vnd.openxmlformats-officedocument.theme+xml"}),
        "_rels/.rels": rels(("officeDocument", "word/document.xml")),
        "word/document.xml": f'{HEAD}<w:document xmlns:w="{W}" xmlns:r="{OFFICE}"><w:body>{"".join(body)}{section}</w:body></w:document>',
        "word/_rels/document.xml.rels": rels(("styles", "styles.xml"), ("numbering", "numbering.xml"), ("theme", "theme/theme1.xml")),
        "word/styles.xml": WORD_STYLES,
        "word/numbering.xml": NUMBERING,
        "word/theme/theme1.xml": THEME,
    }, words)


# ---- Excel ----

CELL_STYLES = f'''{HEAD}<styleSheet xmlns="{S}"><numFmts count="2"><numFmt numFmtId="164" formatCode="#,##0;[Red]-#,##0"/><numFmt numFmtId="165" formatCode="d mmm yyyy"/></numFmts><fonts count="4"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="16"/><color theme="4"/><name val="Calibri"/></font><font><b/><sz val="11"/><color rgb="FFFFFFFF"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="4"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor theme="4"/><bgColor indexed="64"/></patternFill></fill><fill><patternFill patternType="solid"><fgColor theme="4" tint="0.8"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="3"><border><left/><right/><top/><bottom/><diagonal/></border><border><left/><right/><top/><bottom style="thin"><color rgb="FFC9CFCA"/></bottom><diagonal/></border><border><left/><right/><top style="medium"><color theme="4"/></top><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="8"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="0" fontId="2" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="1" xfId="0" applyNumberFormat="1" applyBorder="1"/><xf numFmtId="0" fontId="0" fillId="0" borderId="1" xfId="0" applyBorder="1"/><xf numFmtId="164" fontId="3" fillId="3" borderId="2" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="1" xfId="0" applyNumberFormat="1" applyBorder="1"><alignment horizontal="left"/></xf><xf numFmtId="0" fontId="2" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"><alignment horizontal="right"/></xf></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'''


class Sheet:
    def __init__(self, strings):
        self.strings, self.rows = strings, {}

    def put(self, reference, value, style=0, formula=None):
        row = int("".join(c for c in reference if c.isdigit()))
        made = f"<f>{escape(formula)}</f>" if formula else ""
        if isinstance(value, str):
            index = self.strings.setdefault(value, len(self.strings))
            cell = f'<c r="{reference}" s="{style}" t="s"><v>{index}</v></c>'
        else:
            cell = f'<c r="{reference}" s="{style}">{made}<v>{value}</v></c>'
        self.rows.setdefault(row, []).append(cell)

    def xml(self, columns, frozen=0, merges=()):
        pane = f'<pane ySplit="{frozen}" topLeftCell="A{frozen + 1}" activePane="bottomLeft" state="frozen"/>' if frozen else ""
        cols = "".join(f'<col min="{n}" max="{n}" width="{w}" customWidth="1"/>' for n, w in enumerate(columns, 1))
        tall = ' ht="28" customHeight="1"'
        rows = "".join(f'<row r="{n}"{tall if n == 1 else ""}>{"".join(cells)}</row>' for n, cells in sorted(self.rows.items()))
        merged = "".join(f'<mergeCell ref="{area}"/>' for area in merges)
        merged = f'<mergeCells count="{len(merges)}">{merged}</mergeCells>' if merges else ""
        last = chr(64 + len(columns))
        return f'{HEAD}<worksheet xmlns="{S}"><dimension ref="A1:{last}{max(self.rows)}"/><sheetViews><sheetView workbookViewId="0">{pane}</sheetView></sheetViews><sheetFormatPr defaultRowHeight="16"/><cols>{cols}</cols><sheetData>{rows}</sheetData>{merged}<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/></worksheet>'


def budget(words):
    said = words["budget"]
    strings = {}
    sheet = Sheet(strings)
    sheet.put("A1", said["title"], 1)
    for letter, title in zip("ABCD", said["columns"]):
        sheet.put(f"{letter}3", title, 2 if letter == "A" else 7)
    numbers = [(100, 84), (640, 655), (1200, 1200), (450, 310), (300, 0)]
    for number, (item, (planned, spent)) in enumerate(zip(said["items"], numbers), 4):
        sheet.put(f"A{number}", item, 4)
        sheet.put(f"B{number}", planned, 3)
        sheet.put(f"C{number}", spent, 3)
        sheet.put(f"D{number}", planned - spent, 3, f"B{number}-C{number}")
    sheet.put("A9", said["total"], 5)
    for letter, total in zip("BCD", (sum(n[0] for n in numbers), sum(n[1] for n in numbers), sum(n[0] - n[1] for n in numbers))):
        sheet.put(f"{letter}9", total, 5, f"SUM({letter}4:{letter}8)")
    dates = Sheet(strings)
    dates.put("A1", said["dates"], 1)
    for letter, title in zip("ABC", said["date_columns"]):
        dates.put(f"{letter}3", title, 2)
    for number, (day, (what, who)) in enumerate(zip((45719, 45733, 45777), said["events"]), 4):
        dates.put(f"A{number}", day, 6)
        dates.put(f"B{number}", what, 4)
        dates.put(f"C{number}", who, 4)
    sheet_xml = sheet.xml((26, 14, 14, 14), 3, ("A1:D1",))
    dates_xml = dates.xml((16, 34, 12), 3)
    excel = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    shared = "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in strings)
    write(words["files"]["xlsx"], {
        "[Content_Types].xml": types(XML, {"/xl/workbook.xml": f"{excel}.sheet.main+xml", "/xl/worksheets/sheet1.xml": f"{excel}.worksheet+xml", "/xl/worksheets/sheet2.xml": f"{excel}.worksheet+xml", "/xl/styles.xml": f"{excel}.styles+xml", "/xl/sharedStrings.xml": f"{excel}.sharedStrings+xml", "/xl/theme/theme1.xml": "application/vnd.openxmlformats-officedocument.theme+xml"}),
        "_rels/.rels": rels(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'{HEAD}<workbook xmlns="{S}" xmlns:r="{OFFICE}"><bookViews><workbookView xWindow="0" yWindow="0" windowWidth="20000" windowHeight="12000"/></bookViews><sheets><sheet name="{said["sheet"]}" sheetId="1" r:id="rId1"/><sheet name="{said["dates"]}" sheetId="2" r:id="rId2"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": rels(("worksheet", "worksheets/sheet1.xml"), ("worksheet", "worksheets/sheet2.xml"), ("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml"), ("theme", "theme/theme1.xml")),
        "xl/worksheets/sheet1.xml": sheet_xml,
        "xl/worksheets/sheet2.xml": dates_xml,
        "xl/styles.xml": CELL_STYLES,
        "xl/sharedStrings.xml": f'{HEAD}<sst xmlns="{S}" count="{len(strings)}" uniqueCount="{len(strings)}">{shared}</sst>',
        "xl/theme/theme1.xml": THEME,
    }, words)


# ---- PowerPoint ----

NAMES = f'xmlns:a="{A}" xmlns:r="{OFFICE}" xmlns:p="{P}"'
GROUP = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'


def place(x, y, width, height):
    return f'<a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'


def shape(number, name, placeholder, lines, at=None, properties=""):
    paragraphs = "".join(f'<a:p><a:r><a:rPr lang="en-GB"/><a:t>{escape(line)}</a:t></a:r></a:p>' for line in lines) or "<a:p/>"
    where = place(*at) if at else ""
    return f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph {placeholder}/></p:nvPr></p:nvSpPr><p:spPr>{where}{properties}</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>{paragraphs}</p:txBody></p:sp>'


TITLE_AT, BODY_AT = (838200, 457200, 10515600, 1143000), (838200, 1825625, 10515600, 4351338)
BAR = '<p:sp><p:nvSpPr><p:cNvPr id="9" name="Bar"/><p:cNvSpPr/><p:nvPr userDrawn="1"/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="228600" cy="6858000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:schemeClr val="accent1"/></a:solidFill><a:ln><a:noFill/></a:ln></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p/></p:txBody></p:sp>'
LEVELS = "".join(f'<a:lvl{n}pPr marL="{228600 + 457200 * (n - 1)}" indent="-228600"><a:spcBef><a:spcPts val="900"/></a:spcBef><a:buFont typeface="Arial"/><a:buChar char="&#8226;"/><a:defRPr sz="{2400 - 200 * (n - 1)}"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl{n}pPr>' for n in range(1, 6))


def sheet_xml(kind, shapes, attributes="", tail=""):
    return f'{HEAD}<p:{kind} {NAMES}{attributes}><p:cSld><p:spTree>{GROUP}{shapes}</p:spTree></p:cSld>{tail}</p:{kind}>'


def slide_table(rows):
    fill = '<a:solidFill><a:schemeClr val="accent1"><a:lumMod val="20000"/><a:lumOff val="80000"/></a:schemeClr></a:solidFill>'
    cells = ""
    for n, row in enumerate(rows):
        made = (f'<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang="en-GB" sz="1800"/><a:t>{escape(cell)}</a:t></a:r></a:p></a:txBody><a:tcPr>{fill if n == 0 else ""}</a:tcPr></a:tc>' for cell in row)
        cells += '<a:tr h="420000">' + "".join(made) + "</a:tr>"
    grid = "".join(f'<a:gridCol w="{10515600 // len(rows[0])}"/>' for _ in rows[0])
    return f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="Table 3"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="838200" y="1825625"/><a:ext cx="10515600" cy="{420000 * len(rows)}"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr firstRow="1"/><a:tblGrid>{grid}</a:tblGrid>{cells}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>'


def kickoff(words):
    said = words["kickoff"]
    title = lambda text: shape(2, "Title 1", 'type="title"', [text])
    body = lambda lines: shape(3, "Content 2", 'idx="1"', lines)
    slides = [
        shape(2, "Title 1", 'type="ctrTitle"', [said["title"]]) + shape(3, "Subtitle 2", 'type="subTitle" idx="1"', [said["subtitle"]]),
        title(said["want"][0]) + body(said["want"][1]),
        title(said["who"][0]) + slide_table(said["who"][1]),
        title(said["open"][0]) + body(said["open"][1]),
    ]
    point = "application/vnd.openxmlformats-officedocument.presentationml"
    color_map = '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
    styles = f'<p:txStyles><p:titleStyle><a:lvl1pPr><a:defRPr sz="4000" b="1"><a:solidFill><a:schemeClr val="tx2"/></a:solidFill><a:latin typeface="+mj-lt"/></a:defRPr></a:lvl1pPr></p:titleStyle><p:bodyStyle>{LEVELS}</p:bodyStyle><p:otherStyle/></p:txStyles>'
    master = sheet_xml("sldMaster", BAR + shape(2, "Title", 'type="title"', [], TITLE_AT) + shape(3, "Body", 'type="body" idx="1"', [], BODY_AT), tail=f'{color_map}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/><p:sldLayoutId id="2147483650" r:id="rId2"/></p:sldLayoutIdLst>{styles}')
    inherit = "<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>"
    first = sheet_xml("sldLayout", shape(2, "Title", 'type="ctrTitle"', [], (838200, 2057400, 10515600, 1470025)) + shape(3, "Subtitle", 'type="subTitle" idx="1"', [], (838200, 3602038, 10515600, 1655762)), ' type="title"', inherit).replace("<p:cSld>", '<p:cSld name="Title Slide">')
    second = sheet_xml("sldLayout", shape(2, "Title", 'type="title"', []) + shape(3, "Content", 'idx="1"', []), ' type="obj"', inherit).replace("<p:cSld>", '<p:cSld name="Title and Content">')
    overrides = {"/ppt/presentation.xml": f"{point}.presentation.main+xml", "/ppt/slideMasters/slideMaster1.xml": f"{point}.slideMaster+xml", "/ppt/slideLayouts/slideLayout1.xml": f"{point}.slideLayout+xml", "/ppt/slideLayouts/slideLayout2.xml": f"{point}.slideLayout+xml", "/ppt/theme/theme1.xml": "application/vnd.openxmlformats-officedocument.theme+xml"}
    numbers = range(1, len(slides) + 1)
    overrides.update({f"/ppt/slides/slide{n}.xml": f"{point}.slide+xml" for n in numbers})
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n + 2}"/>' for n in numbers)
    parts = {
        "[Content_Types].xml": types(XML, overrides),
        "_rels/.rels": rels(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'{HEAD}<p:presentation {NAMES}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": rels(("slideMaster", "slideMasters/slideMaster1.xml"), ("theme", "theme/theme1.xml"), *(("slide", f"slides/slide{n}.xml") for n in numbers)),
        "ppt/slideMasters/slideMaster1.xml": master,
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": rels(("slideLayout", "../slideLayouts/slideLayout1.xml"), ("slideLayout", "../slideLayouts/slideLayout2.xml"), ("theme", "../theme/theme1.xml")),
        "ppt/slideLayouts/slideLayout1.xml": first,
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": rels(("slideMaster", "../slideMasters/slideMaster1.xml")),
        "ppt/slideLayouts/slideLayout2.xml": second,
        "ppt/slideLayouts/_rels/slideLayout2.xml.rels": rels(("slideMaster", "../slideMasters/slideMaster1.xml")),
        "ppt/theme/theme1.xml": THEME,
    }
    for n, shapes in enumerate(slides, 1):
        parts[f"ppt/slides/slide{n}.xml"] = sheet_xml("sld", shapes, tail=inherit)
        parts[f"ppt/slides/_rels/slide{n}.xml.rels"] = rels(("slideLayout", f"../slideLayouts/slideLayout{1 if n == 1 else 2}.xml"))
    write(words["files"]["pptx"], parts, words)


if __name__ == "__main__":
    for words in LANGUAGES:
        (HERE / words["files"]["md"]).parent.mkdir(exist_ok=True)
        (HERE / words["files"]["md"]).write_text(words["welcome"], encoding="utf-8", newline="\n")
        agreement(words)
        budget(words)
        kickoff(words)
