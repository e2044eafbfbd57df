//! One cell set, or one row inserted at the top, by umya-spreadsheet; prints processor seconds and the highest resident memory in KiB.

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (source, target, what) = (&arguments[1], &arguments[2], &arguments[3]);
    let mut book = umya_spreadsheet::reader::xlsx::read(std::path::Path::new(source)).unwrap();
    if what == "set" {
        book.sheet_by_name_mut("Data").unwrap().cell_mut("D50000").set_value_number(12.5);
    } else {
        book.insert_new_row("Data", 1, 1);
    }
    umya_spreadsheet::writer::xlsx::write(&book, std::path::Path::new(target)).unwrap();
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let memory = status.split("VmHWM:").nth(1).unwrap().split_whitespace().next().unwrap();
    println!("{} {memory}", ticks / 100.0);
}
